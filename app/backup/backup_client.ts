import pg from 'pg'

/** A connection of a backup or a restoration alone: the copying of tables cannot share one. */
export class BackupClient extends pg.Client {
  #failure: Error | undefined
  #isTerminated = false

  static async open(url: string): Promise<BackupClient> {
    const client = new BackupClient({
      connectionString: url,
      application_name: 'analysis-hub backup',
      keepAlive: true,
    })
    // Its statements are told of a connection that breaks, and `onLost`.
    client.on('error', (error) => (client.#failure ??= error))
    await client.connect()
    await client.query('set statement_timeout = 0')
    await client.query('set idle_in_transaction_session_timeout = 0')
    return client
  }

  /** Tells of a connection that breaks while nothing is asked of it. */
  onLost(listener: (error: Error) => void): void {
    if (this.#failure) {
      listener(this.#failure)
    }
    this.on('error', listener)
  }

  /** Ends the connection whatever it is doing; what was not committed is not done. */
  terminate(): void {
    this.#isTerminated = true
    this.connection.stream.destroy()
  }

  /** Ends the connection, and waits until the server knows. */
  async close(): Promise<void> {
    if (!this.#isTerminated && !this.#failure) {
      await this.end()
    }
  }
}
