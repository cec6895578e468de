import { role } from './cluster.js'

/** The URL of a database of the embedded server. It contains the password: never log it. */
export function connectionUrl(port: number, password: string, database: string): string {
  return `postgres://${role}:${password}@127.0.0.1:${port}/${encodeURIComponent(database)}`
}
