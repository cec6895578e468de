import type { Actor } from '#kernel/actor'
import { BadRequest } from '#kernel/failures'

const MAX_ROOMS = 1_000

/** What a subscriber of a room needs. */
export interface Requirement {
  /** At least one of them is needed; none means that every caller may subscribe. */
  readonly permissions: readonly string[]
}

interface Membership {
  count: number
  readonly requirements: Set<Requirement>
}

/** The part of a socket that is used here. */
interface Member {
  join(room: string): unknown
  leave(room: string): unknown
}

/** The rooms of one socket. It leaves a room after as many unsubscriptions as subscriptions. */
export class Rooms {
  readonly #member: Member
  readonly #memberships = new Map<string, Membership>()

  constructor(member: Member) {
    this.#member = member
  }

  subscribe(room: string, requirement: Requirement): void {
    const membership = this.#memberships.get(room) ?? this.#join(room)
    membership.count += 1
    membership.requirements.add(requirement)
  }

  unsubscribe(room: string): void {
    const membership = this.#memberships.get(room)
    if (membership && --membership.count === 0) {
      this.#leave(room)
    }
  }

  /** Leaves the rooms that the actor may not be in any more. */
  review(actor: Actor): void {
    for (const [room, { requirements }] of this.#memberships) {
      if (![...requirements].some((requirement) => isAllowed(requirement, actor))) {
        this.#leave(room)
      }
    }
  }

  #join(room: string): Membership {
    if (this.#memberships.size >= MAX_ROOMS) {
      throw new BadRequest(`Too many subscriptions: a socket may have ${MAX_ROOMS} at most`)
    }
    const membership: Membership = { count: 0, requirements: new Set() }
    this.#memberships.set(room, membership)
    void this.#member.join(room)
    return membership
  }

  #leave(room: string): void {
    this.#memberships.delete(room)
    void this.#member.leave(room)
  }
}

/** Whether an actor may subscribe. */
export function isAllowed({ permissions }: Requirement, actor: Actor): boolean {
  return permissions.length === 0 || permissions.some((name) => actor.permissions.has(name))
}
