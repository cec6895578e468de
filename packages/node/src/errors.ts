/** Base class of errors of a node. The message says what to do. */
export abstract class NodeFailure extends Error {
  abstract readonly code: string

  constructor(message: string, cause?: unknown) {
    super(message, { cause })
  }
}

/** This machine cannot run containers with the driver. */
export class ContainersUnavailable extends NodeFailure {
  static readonly code = 'containersUnavailable'
  readonly code = ContainersUnavailable.code
}

/** A container could not be started, or its specification is invalid. */
export class ContainerStartFailed extends NodeFailure {
  static readonly code = 'containerStartFailed'
  readonly code = ContainerStartFailed.code
}

/** An image cannot be unpacked: its content is invalid, unsafe, or larger than the node accepts. */
export class ImageRejected extends NodeFailure {
  static readonly code = 'imageRejected'
  readonly code = ImageRejected.code
}

/** The image of an analysis differs from the approved one. */
export class ImageRefused extends NodeFailure {
  static readonly code = 'imageRefused'
  readonly code = ImageRefused.code
}

/** The hub cannot be reached, or cannot process requests now. A later attempt may succeed. */
export class HubUnavailable extends NodeFailure {
  static readonly code = 'hubUnavailable'
  readonly code = HubUnavailable.code
}

/** The hub refused a request. The same request will be refused again. */
export class HubRefusal extends NodeFailure {
  static readonly code = 'hubRefusal'
  readonly code = HubRefusal.code

  constructor(
    message: string,
    readonly status: number
  ) {
    super(message)
  }

  /** Whether the request was refused for good. A refused login may succeed after its secret is replaced. */
  static isFinal(error: unknown): error is HubRefusal {
    return error instanceof HubRefusal && error.status !== 401
  }
}

/** An analysis has sent more messages than the node buffers for an unavailable hub. */
export class QueueFull extends NodeFailure {
  static readonly code = 'queueFull'
  readonly code = QueueFull.code
}

/** Sealed bytes cannot be decrypted: they were changed, or sealed with other keys. */
export class SealBroken extends NodeFailure {
  static readonly code = 'sealBroken'
  readonly code = SealBroken.code
}

/** A message for a node that cannot receive it. */
export class RecipientUnknown extends NodeFailure {
  static readonly code = 'recipientUnknown'
  readonly code = RecipientUnknown.code
}

/** The client of the credentials does not belong to a node. */
export class NodeUnknown extends NodeFailure {
  static readonly code = 'nodeUnknown'
  readonly code = NodeUnknown.code

  constructor(clientId: string) {
    super(
      `The client ${clientId} does not belong to a node: use the credentials of a node (hubctl node rotate-credentials)`
    )
  }
}

/** The hub does not accept the credentials of the node. */
export class CredentialsRefused extends NodeFailure {
  static readonly code = 'credentialsRefused'
  readonly code = CredentialsRefused.code

  constructor(hub: string, file: string, cause: unknown) {
    super(
      `${hub} does not accept the credentials in ${file}: check the address of the hub, or get new ones (hubctl node rotate-credentials <node> --to ${file})`,
      cause
    )
  }
}

/** The hub has another public key of the node than the node itself, which may not change it. */
export class KeyUnpublished extends NodeFailure {
  static readonly code = 'keyUnpublished'
  readonly code = KeyUnpublished.code

  constructor(node: string, publicKey: string) {
    super(
      `The hub does not have the public key of the node. An administrator publishes it: hubctl update node ${node} publicKey=${publicKey}`
    )
  }
}

/** A settings file cannot be read, or has invalid or unknown settings. */
export class SettingsInvalid extends NodeFailure {
  static readonly code = 'settingsInvalid'
  readonly code = SettingsInvalid.code
}

/** This machine has no Python that can be copied into an image. */
export class PythonMissing extends NodeFailure {
  static readonly code = 'pythonMissing'
  readonly code = PythonMissing.code

  constructor(command: string, cause: unknown) {
    super(
      `${command} is not a Python 3: install it (apt-get install python3), or name another`,
      cause
    )
  }
}

export class DebianRootFailed extends NodeFailure {
  static readonly code = 'debianRootFailed'
  readonly code = DebianRootFailed.code

  static of(cause: unknown): DebianRootFailed {
    const { code, stderr = '' } = cause as { code?: unknown; stderr?: string }
    const [lastLine] = stderr.trim().split('\n').slice(-1)
    return new DebianRootFailed(
      code === 'ENOENT'
        ? 'The Debian root is made by mmdebstrap: install it (apt-get install mmdebstrap)'
        : `mmdebstrap could not make the Debian root: ${lastLine || (cause as Error).message}`,
      cause
    )
  }
}
