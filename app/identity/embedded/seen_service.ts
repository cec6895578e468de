import type { Actor } from '#kernel/actor'
import { visibleRealm } from '#identity/embedded/visible_realm'
import type { Condition } from '#query/condition'
import { RecordService } from '#records/record_service'

/** Records that nobody writes, of one realm and of all of them. */
export class SeenService extends RecordService {
  protected override visible(actor: Actor): readonly Condition[] {
    return visibleRealm(actor, this.kind)
  }
}
