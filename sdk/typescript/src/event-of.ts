import type { Event } from './generated/types.ts'

type Common = Omit<Event, 'type' | 'data'>

/** An event of one type. */
export type EventOf<Type extends string, Data> = Common & { type: Type; data: Data }

declare const unknown: unique symbol

/** An event of a type that came with a newer Foyer. Its type never equals a known one, so comparing tells them apart. */
export type UnknownEvent = Common & {
  type: string & { readonly [unknown]: true }
  data: Record<string, unknown>
}
