import { ImageFailure } from '#oci/errors'

export type SignatureErrorCode = 'signatureMissing' | 'signatureInvalid' | 'signatureOfAnother'

const MESSAGES: Readonly<Record<SignatureErrorCode, string>> = {
  signatureMissing:
    'The image has no signature: whoever put it there is not the builder of the hub',
  signatureInvalid: 'No signature of the image is by a key that is accepted',
  signatureOfAnother: 'The signature is of another image: this one was put in its place',
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
