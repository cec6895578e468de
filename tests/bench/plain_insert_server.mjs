/**
 * The least that keeps an event that is posted: node:http, pg, and one insert for each request, which is committed by itself. It
 * neither asks who is calling nor seals what it keeps.
 */
import { createServer } from 'node:http'

import pg from 'pg'

const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 10 })

const COLUMNS = {
  scope: 'scope',
  name: 'name',
  ref_type: 'refType',
  ref_id: 'refId',
  data: 'data',
  request_path: 'requestPath',
  request_method: 'requestMethod',
  request_ip_address: 'requestIpAddress',
  request_user_agent: 'requestUserAgent',
  actor_type: 'actorType',
  actor_id: 'actorId',
  actor_name: 'actorName',
  realm_id: 'realmId',
}

const INSERT = {
  name: 'insert-event',
  text: `insert into events (id, ${Object.keys(COLUMNS).join()})
         values (gen_random_uuid(), ${Object.keys(COLUMNS).map((_, at) => `$${at + 1}`)}) returning to_json(events)::text as data`,
}

const server = createServer(async (request, response) => {
  const event = JSON.parse(Buffer.concat(await request.toArray()))
  const values = Object.values(COLUMNS).map((name) => event[name])
  const { rows } = await pool.query({ ...INSERT, values })
  const body = `{"data":${rows[0].data},"meta":{}}`
  response.writeHead(201, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
  })
  response.end(body)
})

server.listen(Number(process.env.PORT), '127.0.0.1', () =>
  process.send({ port: server.address().port })
)
