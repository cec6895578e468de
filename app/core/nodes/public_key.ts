const HEX = /^[0-9a-f]+$/i

/** A public key as it is kept: in hexadecimal digits, whichever way it was sent. */
export function storedPublicKey(sent: string): string {
  return HEX.test(sent) ? sent : Buffer.from(sent, 'utf8').toString('hex')
}

/** What was sent, with a public key in the form in which it is kept. */
export function withStoredKey<Sent extends { publicKey?: string | null }>(values: Sent): Sent {
  return typeof values.publicKey === 'string'
    ? { ...values, publicKey: storedPublicKey(values.publicKey) }
    : values
}
