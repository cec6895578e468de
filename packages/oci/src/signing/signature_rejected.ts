import { ImageFailure } from '#oci/errors'

export type SignatureErrorCode = 'signatureMissing' | 'signatureInvalid' | 'signatureOfAnother'

const MESSAGES: Readonly<Record<SignatureErrorCode, string>> = {
  signatureMissing: 'The image has no signature: it was not pushed by the builder of the hub',
  signatureInvalid: 'The image has no signature by an accepted key',
  signatureOfAnother: 'The signature belongs to another image: this one was put in its place',
}

/** The image must not run: it is not known to be built by the hub. */
export class SignatureRejected extends ImageFailure {
  constructor(
    readonly code: SignatureErrorCode,
    readonly digest: string
  ) {
    super(`${MESSAGES[code]} (${digest})`)
  }
}
