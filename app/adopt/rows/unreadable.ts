/** What a text says cannot be a value of its column. */
export class Unreadable {
  constructor(readonly reason: string) {}
}
