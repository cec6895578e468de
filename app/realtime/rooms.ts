import type { Actor } from '#kernel/actor'
import { BadRequest } from '#kernel/failures'

import type { Topic } from './topics.js'

const MOST_ROOMS = 1_000
const TARGET = /^[\w.:-]{1,128}$/

interface Membership {
  count: number
  readonly topics: Set<Topic>
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

  subscribe(topic: Topic, target: unknown): void {
    const room = roomOf(topic, target)
    const held = this.#held.get(room) ?? this.#enter(room)
    held.count += 1
    held.topics.add(topic)
  }

  unsubscribe(topic: Topic, target: unknown): void {
    const room = roomOf(topic, target)
    const held = this.#held.get(room)
    if (held && --held.count === 0) {
      this.#leave(room)
    }
  }

  /** Leaves the rooms that an actor who lost permissions could not enter any more. */
  review(actor: Actor): void {
    for (const [room, { topics }] of this.#held) {
      if (![...topics].some((topic) => isOpenTo(topic, actor))) {
        this.#leave(room)
      }
    }
  }

  #enter(room: string): Membership {
    if (this.#held.size >= MOST_ROOMS) {
      throw new BadRequest(`A socket holds ${MOST_ROOMS} subscriptions at most`)
    }
    const membership: Membership = { count: 0, topics: new Set() }
    this.#held.set(room, membership)
    void this.#member.join(room)
    return membership
  }

  #leave(room: string): void {
    this.#held.delete(room)
    void this.#member.leave(room)
  }
}

/** Whether an actor has what one of those who hear a topic needs. */
export function isOpenTo({ permissions }: Topic, actor: Actor): boolean {
  return permissions.length === 0 || permissions.some((name) => actor.permissions.has(name))
}

/** All records of a type share a room; one that is named has a room of its own. */
function roomOf({ room }: Topic, target: unknown): string {
  if (target === undefined || target === null) {
    return room
  }
  if ((typeof target === 'string' || typeof target === 'number') && TARGET.test(String(target))) {
    return `${room}/${target}`
  }
  throw new BadRequest('A subscription names one record by its id, or none')
}
