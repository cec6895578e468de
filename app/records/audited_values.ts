export type Scalar = string | number | boolean | null

const SECRET_NAME = /password|secret|hash|token|credential/i

/** Only plain values enter the audit trail. */
export function isScalar(value: unknown): value is Scalar {
  return value === null || ['string', 'number', 'boolean'].includes(typeof value)
}

/** Whether an attribute must not enter the audit trail, judged by its name. */
export function hasSecretName(name: string): boolean {
  return SECRET_NAME.test(name)
}
