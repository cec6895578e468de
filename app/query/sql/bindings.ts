/** The bound values of a statement. */
export class Bindings {
  readonly values: unknown[] = []

  bind(value: unknown): string {
    return `$${this.values.push(value)}`
  }
}
