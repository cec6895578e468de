import type { Actor } from '#kernel/actor'
import { BadRequest } from '#kernel/failures'

const MOST_ROOMS = 1_000

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
  readonly #held = new Map<string, Membership>()

  constructor(member: Member) {
    this.#member = member
  }

  subscribe(room: string, requirement: Requirement): void {
    const held = this.#held.get(room) ?? this.#enter(room)
    held.count += 1
    held.requirements.add(requirement)
  }

  unsubscribe(room: string): void {
    const held = this.#held.get(room)
    if (held && --held.count === 0) {
      this.#leave(room)
    }
  }

  /** Leaves the rooms that an actor who lost permissions could not enter any more. */
  review(actor: Actor): void {
    for (const [room, { requirements }] of this.#held) {
      if (![...requirements].some((requirement) => isOpenTo(requirement, actor))) {
        this.#leave(room)
      }
    }
  }

  #enter(room: string): Membership {
    if (this.#held.size >= MOST_ROOMS) {
      throw new BadRequest(`A socket holds ${MOST_ROOMS} subscriptions at most`)
    }
    const membership: Membership = { count: 0, requirements: new Set() }
    this.#held.set(room, membership)
    void this.#member.join(room)
    return membership
  }

  #leave(room: string): void {
    this.#held.delete(room)
    void this.#member.leave(room)
  }
}

/** Whether an actor has what a subscriber needs. */
export function isOpenTo({ permissions }: Requirement, actor: Actor): boolean {
  return permissions.length === 0 || permissions.some((name) => actor.permissions.has(name))
}
