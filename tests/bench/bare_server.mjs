/**
 * The least that can answer the same requests with the same bytes: node:http, pg and one named statement per route. What
 * the platform costs beyond it is the price of the platform.
 */
import { createServer } from 'node:http'

import pg from 'pg'

const { statements, answers } = JSON.parse(process.env.BENCH)
const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 10 })

async function record(id) {
  const { rows } = await pool.query({ ...statements.record, values: [id] })
  return `{"data":${rows[0].data},${answers.record}}`
}

async function list() {
  const { rows } = await pool.query(statements.list)
  const [{ data, total }] = rows
  return `{"data":${data},"meta":{"total":${total},${answers.list}}`
}

const server = createServer(async (request, response) => {
  const id = request.url.split('/')[2]
  const body = id ? await record(id) : await list()
  response.writeHead(200, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
  })
  response.end(body)
})

server.listen(Number(process.env.PORT), '127.0.0.1', () => process.send('ready'))
