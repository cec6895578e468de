import { DatabaseClient } from '#database/database_client'
import { pools } from '#database/pools'

/** A slow backup must not be treated as a lost client. */
const SESSION = `
  set statement_timeout = 0;
  set idle_in_transaction_session_timeout = 0;
  set tcp_user_timeout = 0`

/** A dedicated connection: `COPY` cannot share one. */
export class BackupClient extends DatabaseClient {
  #failure: Error | undefined
  #isTerminated = false

  static async open(url: string): Promise<BackupClient> {
    const client = new BackupClient({
      ...pools.connectionTo(url),
      application_name: 'analysis-hub backup',
      keepAlive: true,
    })
    // A broken connection rejects the pending query and calls `onLost`.
    client.on('error', (error) => (client.#failure ??= error))
    await client.connect()
    await client.query(SESSION)
    return client
  }

  /** Registers a listener for a connection that breaks while idle. */
  onLost(listener: (error: Error) => void): void {
    if (this.#failure) {
      listener(this.#failure)
    }
    this.on('error', listener)
  }

  /** Closes the socket immediately. Uncommitted work is rolled back. */
  terminate(): void {
    this.#isTerminated = true
    this.connection.stream.destroy()
  }

  /** Closes the connection gracefully. */
  async close(): Promise<void> {
    if (!this.#isTerminated && !this.#failure) {
      await this.end()
    }
  }
}
