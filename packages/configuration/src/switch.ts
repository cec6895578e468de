/** A boolean variable that tests can change within their process. */
export class Switch {
  #isOn: boolean

  constructor(isOn: boolean) {
    this.#isOn = isOn
  }

  get isOn(): boolean {
    return this.#isOn
  }

  /** Sets the switch; the returned function restores it. */
  set(isOn: boolean): () => void {
    const previous = this.#isOn
    this.#isOn = isOn
    return () => {
      this.#isOn = previous
    }
  }
}
