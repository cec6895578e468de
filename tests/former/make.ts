/**
 * Creates the databases of a former platform to try hub:adopt on. FORMER_SERVER_URL names a PostgreSQL or MariaDB
 * server where the user may create databases.
 *
 * FORMER_SERVER_URL=postgres://… npm run fixtures:former -- --rows 1000000 --prefix former
 */
import { parseArgs } from 'node:util'

import { FormerPlatform } from './former_platform.js'

const { values } = parseArgs({
  options: {
    rows: { type: 'string', default: '1000' },
    prefix: { type: 'string', default: 'former' },
  },
})
const server = process.env.FORMER_SERVER_URL
if (!server) {
  throw new Error('Set FORMER_SERVER_URL to the server on which the databases are to be made')
}
const platform = await FormerPlatform.make(server, values.prefix)
await platform.fill(Number(values.rows))
for (const [service, address] of Object.entries(platform.addresses)) {
  const { host, pathname } = new URL(address)
  console.log(`${service.padEnd(10)} ${host}${pathname}`)
}
