/*
 * scan--1.2--1.3.sql: ALTER EXTENSION scan UPDATE, from 1.2; and the second script of CREATE EXTENSION scan, which
 * runs scan--1.2.sql first.
 *
 * So each object of 1.3 is written once, here, in the order of src/op/list.h; test/t/catalog.t proves that.  No object
 * of 1.2 is dropped, so that views of it live on.
 */

-- complain if script is sourced in psql, rather than via ALTER EXTENSION
\echo Use "ALTER EXTENSION scan UPDATE TO '1.3'" to load this file. \quit
