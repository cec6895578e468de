import type { Actor } from '#kernel/actor'
import { BadRequest } from '#kernel/failures'

const MAX_ROOMS = 1_000

/** What it takes to be in a room. */
export interface Requirement {
  /** One of them is needed; every caller may where there is none. */
  readonly permissions: readonly string[]
}

interface Membership {
  count: number
  readonly requirements: Set<Requirement>
}

/** What rooms are made of: a socket, as far as they see it. */
interface Member {
  join(room: string): unknown
  leave(room: string): unknown
}

/**
 * The rooms of one socket. It leaves a room after as many unsubscriptions as there were subscriptions.
 */
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

  /** Leaves the rooms that an actor who lost permissions could not enter any more. */
  review(actor: Actor): void {
    for (const [room, { requirements }] of this.#memberships) {
      if (![...requirements].some((requirement) => isAllowed(requirement, actor))) {
        this.#leave(room)
      }
    }
  }

  #join(room: string): Membership {
    if (this.#memberships.size >= MAX_ROOMS) {
      throw new BadRequest(`A socket holds ${MAX_ROOMS} subscriptions at most`)
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

/** Whether an actor has what a subscriber needs. */
export function isAllowed({ permissions }: Requirement, actor: Actor): boolean {
  return permissions.length === 0 || permissions.some((name) => actor.permissions.has(name))
}
