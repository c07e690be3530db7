-- The rows of e2e.sh: `rows` of them, numbered by id as they lie.  t is a moment in random order of which no two are
-- alike: id multiplied and folded three times in `bits` bits.  ts is that moment as a timestamp of a year to the
-- microsecond, which takes so many bits of a sort key that the row's number does not fit beside it.
\ir ready.sql
CREATE TABLE x AS
SELECT id, t, timestamptz '2024-01-01 00:00+00' + (t * (366 * 86400 * 1000000::int8 >> :bits)
        + (hashint8extended(id, 7) & 9223372036854775807) % (366 * 86400 * 1000000::int8 >> :bits)) * interval '1 microsecond' AS ts,
    ((hashint8extended(id, 1) & 9223372036854775807) % 1000)::int4 AS k,
    ((hashint8extended(id, 2) & 9223372036854775807) % (1 + :rows / 4))::int4 AS m,
    (hashint8extended(id, 3) >> 24) AS a, (hashint8extended(id, 4) >> 24) AS b,
    (hashint8extended(id, 5) >> 24) * 1e-6::float8 AS f, (hashint8extended(id, 6) >> 54)::int4 AS v
FROM (SELECT id, t # (t >> (:bits + 1) / 2) AS t
    FROM (SELECT id, t * 3266489917 & (1::int8 << :bits) - 1 AS t
        FROM (SELECT id, t # (t >> (:bits + 1) / 2) AS t
            FROM (SELECT id, t * 2246822519 & (1::int8 << :bits) - 1 AS t
                FROM (SELECT id, t # (t >> (:bits + 1) / 2) AS t
                    FROM (SELECT id, id * 2654435761 & (1::int8 << :bits) - 1 AS t
                        FROM generate_series(1::int8, :rows) AS id) AS s) AS s) AS s) AS s) AS s) AS s;
CREATE TABLE x_tenth AS SELECT * FROM x WHERE id <= :rows / 10;
ALTER TABLE x SET (parallel_workers = 7);
ALTER TABLE x_tenth SET (parallel_workers = 7);
VACUUM ANALYZE x, x_tenth;
