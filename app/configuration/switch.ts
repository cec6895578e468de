/**
 * A variable that is on or off, and that a test can set without a process of its own.
 */
export class Switch {
  #isOn: boolean

  constructor(isOn: boolean) {
    this.#isOn = isOn
  }

  get isOn(): boolean {
    return this.#isOn
  }

  /** Sets the switch until the returned function is called. */
  set(isOn: boolean): () => void {
    const previous = this.#isOn
    this.#isOn = isOn
    return () => {
      this.#isOn = previous
    }
  }
}
