import { randomBytes } from 'node:crypto'

import mysql from 'mysql2/promise'

import { freePort } from './free_port.js'
import { PACKAGES } from './packages.js'
import { RealServer, type Recipe } from './real_server.js'

const USER = 'hub'

const settings = (port: number, home: string) => `
[mariadbd]
port = ${port}
bind-address = 127.0.0.1
socket = ${home}/mariadb.sock
pid-file = ${home}/mariadb.pid
datadir = ${home}/data
tmpdir = ${home}
lc-messages-dir = /usr/share/mysql
character-set-server = utf8mb4
collation-server = utf8mb4_general_ci
innodb-flush-log-at-trx-commit = 0
innodb-buffer-pool-size = 256M
skip-name-resolve
`

const recipe: Recipe = {
  name: 'mariadb',
  packages: PACKAGES.mariadb,
  account: 'mysql',
  stopSignal: 'SIGTERM',
  async prepare(home) {
    const port = await freePort()
    const password = randomBytes(24).toString('hex')
    const url = `mysql://${USER}:${password}@127.0.0.1:${port}`
    await home.makeFolder('data')
    const first = await home.write(
      'first.sql',
      `create user if not exists '${USER}'@'127.0.0.1' identified by '${password}';
       grant all on *.* to '${USER}'@'127.0.0.1' with grant option;`
    )
    const configuration = await home.write('mariadb.cnf', settings(port, home.path))
    await home.run('/usr/bin/mariadb-install-db', [
      `--defaults-file=${configuration}`,
      '--auth-root-authentication-method=normal',
      '--skip-test-db',
    ])

    return {
      url,
      async boot() {
        await home.spawn('/usr/sbin/mariadbd', [
          `--defaults-file=${configuration}`,
          `--init-file=${first}`,
        ])
        await home.until(() => selectOne(url))
      },
    }
  },
}

async function selectOne(url: string): Promise<void> {
  const connection = await mysql.createConnection({ uri: url, connectTimeout: 1000 })
  try {
    await connection.query('select 1')
  } finally {
    await connection.end()
  }
}

/** A MariaDB of the test's own; the user in its address may create databases. */
export function startMariadb(): Promise<RealServer> {
  return RealServer.start(recipe)
}
