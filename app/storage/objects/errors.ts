import { BadRequest, EntityConflict, PayloadTooLarge, ServiceUnavailable } from '#kernel/failures'
import { issue } from '#kernel/issues'
import type { ObjectAddress } from './object_store.js'

/** There is no such object; what that means to a caller, the code that knows the record decides. */
export class ObjectMissing extends Error {
  static readonly code = 'E_OBJECT_MISSING'
  readonly code = ObjectMissing.code

  constructor({ container, key }: ObjectAddress, cause?: unknown) {
    super(`The object store has no ${key} in ${container}`, { cause })
  }
}

/** An object was to be stored in a container that was never made or was removed meanwhile. */
export class ContainerMissing extends Error {
  static readonly code = 'E_CONTAINER_MISSING'
  readonly code = ContainerMissing.code

  constructor(container: string, cause?: unknown) {
    super(`The object store has no container ${container}; make it first`, { cause })
  }
}

/** A container cannot be removed before the objects in it. */
export class ContainerNotEmpty extends Error {
  static readonly code = 'E_CONTAINER_NOT_EMPTY'
  readonly code = ContainerNotEmpty.code

  constructor(container: string, cause?: unknown) {
    super(`There are objects left in ${container}; delete them first`, { cause })
  }
}

/** A name that is not one of ours, and could point anywhere. */
export class UnsafeObjectName extends Error {
  static readonly code = 'E_UNSAFE_OBJECT_NAME'
  readonly code = UnsafeObjectName.code

  constructor(kind: string, name: string) {
    super(`${JSON.stringify(name.slice(0, 300))} cannot be the ${kind} of an object`)
  }
}

/** An object has other bytes than its record says: sending it on would pass damage for the file. */
export class ObjectDamaged extends Error {
  static readonly code = 'E_OBJECT_DAMAGED'
  readonly code = ObjectDamaged.code

  constructor(expected: number, found: string) {
    super(`An object of ${expected} bytes was expected, and it has ${found}`)
  }
}

/** An object has as many bytes as it should, and others than were stored. */
export class ObjectChanged extends Error {
  static readonly code = 'E_OBJECT_CHANGED'
  readonly code = ObjectChanged.code

  constructor() {
    super('An object was changed where it is stored: its digest is another one')
  }
}

/** An upload that was given up from elsewhere, such as by a sweep, while it was being stored. */
export class PutInterrupted extends EntityConflict {
  constructor(cause?: unknown) {
    super('The upload was given up while it was stored; send it again', { cause })
  }
}

/** The S3 server refuses the region of a bucket. */
export class UnknownRegion extends BadRequest {
  constructor(region: string, cause?: unknown) {
    super(`The object store has no region ${region}`, { cause })
  }
}

/** The container's name is taken by another account on the S3 server. */
export class ContainerTaken extends EntityConflict {
  constructor(container: string, cause?: unknown) {
    const message = `The name ${container} is taken in the object store`
    super(message, { issues: [issue('value_exists', ['name'], message)], cause })
  }
}

/** More bytes than the store holds in one object. */
export class ObjectTooLarge extends PayloadTooLarge {
  constructor(cause?: unknown) {
    super('The file is larger than the object store takes', { cause })
  }
}

/** The object store does not answer, or answers that it cannot now. */
export class ObjectStoreUnavailable extends ServiceUnavailable {
  constructor(cause?: unknown) {
    super('The object store does not answer; try again shortly', { cause })
  }
}
