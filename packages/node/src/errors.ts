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
