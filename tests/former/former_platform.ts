import { randomBytes } from 'node:crypto'

import { SERVICES, type Service } from '#adopt/transfer'
import { MYSQL, POSTGRES, type Dialect } from './dialect.js'
import { filling } from './filling.js'
import { createStatement, tablesOf } from './schema.js'

/** The databases of an installation of the former platform. */
export class FormerPlatform {
  readonly addresses: Readonly<Record<Service, string>>
  readonly dialect: Dialect
  readonly server: string

  /** Creates empty databases on a server. */
  static async make(server: string, prefix?: string): Promise<FormerPlatform> {
    const platform = new FormerPlatform(server, prefix)
    const { dialect, addresses } = platform
    await platform.remove()
    const names = Object.values(addresses).map(nameOf)
    await dialect.run(
      server,
      names.map((name) => `create database ${name}`)
    )
    for (const service of SERVICES) {
      const statements = tablesOf(service).map((table) => createStatement(table, dialect))
      await dialect.run(addresses[service], statements)
    }
    return platform
  }

  private constructor(server: string, prefix = `former_${randomBytes(4).toString('hex')}`) {
    this.server = server
    this.dialect = server.startsWith('postgres') ? POSTGRES : MYSQL
    this.addresses = Object.fromEntries(
      SERVICES.map((service) => {
        const url = new URL(server)
        url.pathname = `/${prefix}_${service}`
        return [service, url.href]
      })
    ) as Record<Service, string>
  }

  async fill(rows: number): Promise<void> {
    for (const service of SERVICES) {
      await this.run(service, ...filling(service, rows, this.dialect))
    }
  }

  run(service: Service, ...statements: string[]): Promise<void> {
    return this.dialect.run(this.addresses[service], statements)
  }

  /** The values of a single row, joined. */
  async request(service: Service, query: string): Promise<string> {
    return Object.values(await this.dialect.request(this.addresses[service], query)).join(' ')
  }

  async remove(): Promise<void> {
    const names = Object.values(this.addresses).map(nameOf)
    await this.dialect.run(
      this.server,
      names.map((name) => `drop database if exists ${name}`)
    )
  }
}

const nameOf = (address: string) => new URL(address).pathname.slice(1)
