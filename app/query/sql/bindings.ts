/** The values of one statement, numbered as they are bound. */
export class Bindings {
  readonly values: unknown[] = []

  bind(value: unknown): string {
    return `$${this.values.push(value)}`
  }
}
