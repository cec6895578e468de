/** Where this process can be called from within, known as soon as it listens. */
class OwnAddress {
  #port: number | undefined

  setPort(port: number): void {
    this.#port = port
  }

  /** The port others would have to be told of as well; undefined until there is one. */
  get port(): number | undefined {
    return this.#port
  }
}

export const ownAddress = new OwnAddress()
