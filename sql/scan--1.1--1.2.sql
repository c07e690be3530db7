/*
 * scan--1.1--1.2.sql: ALTER EXTENSION scan UPDATE, from 1.1.
 *
 * New functions and aggregates come in the order of src/op/list.h.  No object of 1.1 is dropped, so that views of it
 * live on.  test/t/upgrade.t proves that what comes of this is what scan--1.2.sql makes.
 */

-- complain if script is sourced in psql, rather than via ALTER EXTENSION
\echo Use "ALTER EXTENSION scan UPDATE TO '1.2'" to load this file. \quit
