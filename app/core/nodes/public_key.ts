const HEX = /^[0-9a-f]+$/i

/** Encodes a public key in hexadecimal digits, as it is stored. */
export function encodePublicKey(publicKey: string): string {
  return HEX.test(publicKey) ? publicKey : Buffer.from(publicKey, 'utf8').toString('hex')
}

/** Encodes the public key in the values of a node, if there is one. */
export function withEncodedKey<Values extends { publicKey?: string | null }>(
  values: Values
): Values {
  return typeof values.publicKey === 'string'
    ? { ...values, publicKey: encodePublicKey(values.publicKey) }
    : values
}
