-- stored_states.sql: states of aggregates in a table, and aggregates that read them; test/t/upgrade.t and pg_upgrade.sh
-- upgrade databases with them.  The table reading has columns p, v float8 and narrow float4.
CREATE AGGREGATE sum_so_far(float8) (SFUNC = exact_add_float8, STYPE = exact_state);
CREATE AGGREGATE pairs_so_far(float8, float8) (SFUNC = exact_add_pair, STYPE = exact_state);
CREATE AGGREGATE total_so_far(float8) (SFUNC = total_add_float8, STYPE = total_state);
CREATE AGGREGATE sum_of(exact_state) (SFUNC = exact_combine, STYPE = exact_state, FINALFUNC = exact_final_sum_float8);
CREATE AGGREGATE corr_of(exact_state) (SFUNC = exact_combine_pairs, STYPE = exact_state, FINALFUNC = exact_final_corr);
CREATE AGGREGATE total_of_states(total_state) (SFUNC = total_combine, STYPE = total_state, FINALFUNC = total_final);
CREATE TABLE state AS SELECT p, sum_so_far(v) AS sum, pairs_so_far(v, narrow) AS pairs, total_so_far(v) AS total FROM reading GROUP BY p;
