import type { SurfaceName } from '#configuration/surfaces'
import { BackupClient } from '#backup/backup_client'
import type { DatabaseAddress } from '#backup/databases'

const CONNECTIONS = 3
const BEGIN = 'begin isolation level repeatable read read only'

/** A snapshot of a database, shared by several connections. */
export class Snapshot {
  readonly surfaces: readonly SurfaceName[]
  readonly clients: readonly BackupClient[]

  private constructor({ surfaces }: DatabaseAddress, clients: readonly BackupClient[]) {
    this.surfaces = surfaces
    this.clients = clients
  }

  static async take(database: DatabaseAddress): Promise<Snapshot> {
    const clients: BackupClient[] = []
    const snapshot = new Snapshot(database, clients)
    try {
      const leader = await BackupClient.open(database.url)
      clients.push(leader)
      await leader.query(BEGIN)
      const { rows } = await leader.query<{ id: string }>('select pg_export_snapshot() as id')
      while (clients.length < CONNECTIONS) {
        const client = await BackupClient.open(database.url)
        clients.push(client)
        await client.query(BEGIN)
        await client.query(`set transaction snapshot '${rows[0]!.id}'`)
      }
      return snapshot
    } catch (error) {
      snapshot.release()
      throw error
    }
  }

  get leader(): BackupClient {
    return this.clients[0]!
  }

  release(): void {
    this.clients.forEach((client) => client.terminate())
  }
}
