import { BadRequest, EntityConflict, PayloadTooLarge, ServiceUnavailable } from '#kernel/failures'
import { issue } from '#kernel/issues'
import type { ObjectAddress } from './object_store.js'

/** There is no such object. */
export class ObjectMissing extends Error {
  static readonly code = 'E_OBJECT_MISSING'
  readonly code = ObjectMissing.code

  constructor({ container, key }: ObjectAddress, cause?: unknown) {
    super(`The object store has no ${key} in ${container}`, { cause })
  }
}

/** The container of an object does not exist. */
export class ContainerMissing extends Error {
  static readonly code = 'E_CONTAINER_MISSING'
  readonly code = ContainerMissing.code

  constructor(container: string, cause?: unknown) {
    super(`The object store has no container ${container}; create it first`, { cause })
  }
}

/** A container can be removed only when it is empty. */
export class ContainerNotEmpty extends Error {
  static readonly code = 'E_CONTAINER_NOT_EMPTY'
  readonly code = ContainerNotEmpty.code

  constructor(container: string, cause?: unknown) {
    super(`There are objects left in ${container}; delete them first`, { cause })
  }
}

/** A container or key that could refer to a place outside of the store. */
export class UnsafeObjectName extends Error {
  static readonly code = 'E_UNSAFE_OBJECT_NAME'
  readonly code = UnsafeObjectName.code

  constructor(kind: string, name: string) {
    super(`${JSON.stringify(name.slice(0, 300))} cannot be the ${kind} of an object`)
  }
}

/** The size of an object differs from its record. */
export class ObjectDamaged extends Error {
  static readonly code = 'E_OBJECT_DAMAGED'
  readonly code = ObjectDamaged.code

  constructor(expected: number, found: string) {
    super(`An object of ${expected} bytes was expected, and it has ${found}`)
  }
}

/** The content of an object differs from its digest. */
export class ObjectChanged extends Error {
  static readonly code = 'E_OBJECT_CHANGED'
  readonly code = ObjectChanged.code

  constructor() {
    super('An object was changed in the store: its digest does not match')
  }
}

/** Another process, such as a sweep, discarded the upload while it was stored. */
export class PutInterrupted extends EntityConflict {
  constructor(cause?: unknown) {
    super('The upload was discarded while it was stored; send it again', { cause })
  }
}

/** The S3 server does not know the region. */
export class UnknownRegion extends BadRequest {
  constructor(region: string, cause?: unknown) {
    super(`The object store has no region ${region}`, { cause })
  }
}

/** Another account of the S3 server owns the container. */
export class ContainerTaken extends EntityConflict {
  constructor(container: string, cause?: unknown) {
    const message = `The name ${container} is taken in the object store`
    super(message, { issues: [issue('value_exists', ['name'], message)], cause })
  }
}

/** The object exceeds the maximum size of the store. */
export class ObjectTooLarge extends PayloadTooLarge {
  constructor(cause?: unknown) {
    super('The file is larger than the object store supports', { cause })
  }
}

/** The object store is unreachable or unable to serve. */
export class ObjectStoreUnavailable extends ServiceUnavailable {
  constructor(cause?: unknown) {
    super('The object store does not answer; try again shortly', { cause })
  }
}
