import { recordedActor } from '../../platform/ctx/actor.ts'
import type { Ctx } from '../../platform/ctx/ctx.ts'
import { insertEntries } from './queries.ts'
import type { AuditAction } from './schema.ts'

/** By field. The caller leaves out secrets, and whatever can contain one. */
export type Changes = Record<string, { from?: unknown; to?: unknown }>

type NewEntry = {
  action: AuditAction
  target?: { type: string; id?: string | null; name?: string | null }
  changes?: Changes
}

/** Records what the actor did, in the transaction that does it. */
export const recordAudit = async (ctx: Ctx, { action, target, changes = {} }: NewEntry): Promise<void> => {
  if (!ctx.afterCommit) throw new Error('the audit log must be written inside a transaction')
  const { workspaceId, requestId, client } = ctx
  await insertEntries(ctx, [
    { workspaceId, action, actor: recordedActor(ctx.actor), target, changes, requestId, client },
  ])
}

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other)

/** The fields of two objects that differ. */
export const changesBetween = <T extends object>(before: Partial<T>, after: Partial<T>): Changes =>
  Object.fromEntries(
    [...new Set([...Object.keys(before), ...Object.keys(after)])].flatMap((key) => {
      const [from, to] = [before[key as keyof T], after[key as keyof T]]
      return isSame(from, to) ? [] : [[key, { from, to }]]
    }),
  )
