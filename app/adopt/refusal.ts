/** Why nothing is taken over, and what to do about it. */
export class Refusal extends Error {
  static readonly code = 'E_ADOPTION_REFUSED'
  readonly code = Refusal.code
}
