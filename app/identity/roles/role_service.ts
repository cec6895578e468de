import { SharedService } from '#identity/embedded/shared_service'

/** Roles of one realm, and those that hold in all of them. */
export class RoleService extends SharedService {}
