export type Scalar = string | number | boolean | null

const SECRET_NAME = /password|secret|hash|token|credential/i

/** Only plain values are told of in the audit trail. */
export function isScalar(value: unknown): value is Scalar {
  return value === null || ['string', 'number', 'boolean'].includes(typeof value)
}

/** Whether an attribute must stay out of the audit trail, judged by its name alone. */
export function hasSecretName(name: string): boolean {
  return SECRET_NAME.test(name)
}
