// duckdb.mjs BUILD FILE: the DuckDB of the benchmark, in a file of its own.
//
// measure.py starts it and talks to it by lines of JSON: {sql, threads, seconds} in, {ms, rows}
// or {error} out.  BUILD is where npm has put @duckdb/node-api; the time is that of the
// statement with its rows fetched, which are few: the queries count.
import { createRequire } from 'node:module';
import { createInterface } from 'node:readline';

const [build, file] = process.argv.slice(2);
const { DuckDBInstance } = createRequire(`${build}/`)('@duckdb/node-api');

// Beside a PostgreSQL with buffers of its own DuckDB may not take the machine.
const instance = await DuckDBInstance.create(file, { memory_limit: '8GB' });
const connection = await instance.connect();

for await (const line of createInterface({ input: process.stdin })) {
    const { sql, threads, seconds } = JSON.parse(line);
    const alarm = setTimeout(() => connection.interrupt(), seconds * 1000);
    let answer;
    try {
        await connection.run(`SET threads = ${threads}`);
        const started = performance.now();
        const reader = await connection.runAndReadAll(sql);
        answer = { ms: performance.now() - started, rows: reader.getRowsJson() };
    } catch (error) {
        answer = { error: error.message };
    }
    clearTimeout(alarm);
    process.stdout.write(`${JSON.stringify(answer)}\n`);
}
connection.closeSync();
instance.closeSync();
