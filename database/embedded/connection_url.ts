import { role } from './cluster.js'

/** The address of a database of the embedded server; it carries the password and must not be logged. */
export function connectionUrl(port: number, password: string, database: string): string {
  return `postgres://${role}:${password}@127.0.0.1:${port}/${encodeURIComponent(database)}`
}
