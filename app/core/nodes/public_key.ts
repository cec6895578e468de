const HEX = /^[0-9a-f]+$/i

/** A public key as it is kept: in hexadecimal digits, whichever way it was sent. */
export function encodePublicKey(publicKey: string): string {
  return HEX.test(publicKey) ? publicKey : Buffer.from(publicKey, 'utf8').toString('hex')
}

/** What was sent, with a public key in the form in which it is kept. */
export function withEncodedKey<Values extends { publicKey?: string | null }>(
  values: Values
): Values {
  return typeof values.publicKey === 'string'
    ? { ...values, publicKey: encodePublicKey(values.publicKey) }
    : values
}
