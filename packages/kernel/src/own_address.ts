/** The port this process listens on, known once it listens. */
class OwnAddress {
  #port: number | undefined

  setPort(port: number): void {
    this.#port = port
  }

  /** Undefined until the process listens. */
  get port(): number | undefined {
    return this.#port
  }
}

export const ownAddress = new OwnAddress()
