-- Once, at the primary of PostgreSQL: psql --host=db1 --username=postgres --file=database.sql
create role hub login password 'change-me-hub-database';
create database hub owner hub;
