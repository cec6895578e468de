/** Where a registry is, and whom the platform is there. */
export interface RegistryAccess {
  readonly host: string
  readonly accountName: string | null
  readonly accountSecret: string | null
}

/** Whom a registry tells what happens in a project, and how it shows that it may. */
export interface Webhook {
  readonly address: string
  readonly authorization: string
}

export interface Account {
  readonly id: string
  readonly name: string
  readonly secret: string
}

/** A name in a registry, and the record whose it is. */
export interface ClaimedName {
  readonly name: string
  /** The registry project the name belongs to. */
  readonly owner: string
  /** The account it had until now, if any. */
  readonly account: Account | null
}

/** A project that is in a registry already. */
export interface ExistingProject {
  readonly id: string
  /** Whether an account stands beside it that the platform made for the owner of the name. */
  readonly isMarked: boolean
}

/** A project as it should be in a registry. */
export interface DesiredProject extends ClaimedName {
  readonly isPublic: boolean
  /** Whether the registry may have the project already: the platform made it, or an administrator named it. */
  readonly mayExist: boolean
  /** Whether an account of this name that the platform did not make is taken over, too: an administrator named it. */
  readonly adopts: boolean
  /** The secret the account should get; without one it keeps its own, or gets one from the registry. */
  readonly newSecret: string | null
  /** Without one, the registry sends no events. */
  readonly hook: Webhook | null
}

/** What a registry keeps for a project; what it does not offer is null. */
export interface LinkedProject {
  readonly id: string | null
  readonly account: Account | null
  readonly webhookId: string | null
}

/** A project that the platform does not want in a registry any more. */
export interface ObsoleteProject {
  readonly name: string
  /** The registry project the name belonged to, as far as that is known. */
  readonly owner: string | null
  readonly accountId: string | null
  /** Whether it was there before the platform came: then it stays, with all that is in it. */
  readonly isAdopted: boolean
}

/** Whose account in a registry it is. */
export interface WorkerAccount {
  readonly name: string
  /** The registry of the platform that the account is for. */
  readonly owner: string
  /** The account it had until now, if any. */
  readonly account: Account | null
}

/** An account with which images are brought into a registry, and found in it. */
export interface DesiredWorkerAccount extends WorkerAccount {
  /** The projects that it pulls from; without any it needs no account. */
  readonly projects: readonly WorkerProject[]
}

export interface WorkerProject {
  readonly name: string
  readonly isPushedTo: boolean
}

/**
 * What is done in registries. Everything may be called again after it failed half-way, and fails with `RegistryFailure` only.
 */
export interface RegistryDriver {
  /** Fails where the registry is away, is another one, or does not let the platform in. */
  requireAccount(): Promise<void>
  /** The project of a name that is there already, whoever made it. */
  find(name: ClaimedName): Promise<ExistingProject | null>
  link(project: DesiredProject): Promise<LinkedProject>
  unlink(project: ObsoleteProject): Promise<void>
  /** What the account with this id is called now; null where there is none. */
  findAccountName(id: string): Promise<string | null>
  /** Gives who carries images an account; null where a registry has no accounts to give. */
  ensureWorkerAccount(worker: DesiredWorkerAccount): Promise<Account | null>
  removeWorkerAccount(worker: WorkerAccount): Promise<void>
}

/**
 * A registry did not do what it was asked. Says what it was asked and how it answered, never with what account.
 */
export class RegistryFailure extends Error {
  static readonly code = 'E_REGISTRY'
  readonly code = RegistryFailure.code

  constructor(
    message: string,
    /** Whether any other request would fare the same: then the registry is left alone for a while. */
    readonly isRegistryWide: boolean,
    options?: ErrorOptions
  ) {
    super(message, options)
  }
}

/** The registry has a project of this name that is not the platform's to take. */
export class NameTaken extends RegistryFailure {
  constructor(name: string) {
    super(
      `The registry has a project ${name} that the platform did not make. Give it another externalName, or have an ` +
        'administrator of the master realm adopt it: hubctl registry link --adopt',
      false
    )
  }
}

/** What answered is no registry of the kind that was asked for; it may well be one of another kind. */
export class UnknownRegistryType extends RegistryFailure {
  constructor(message: string) {
    super(message, true)
  }
}
