import type { Event } from './generated/types.ts'

type Common = Omit<Event, 'type' | 'data'>

/** An event of one type. */
export type EventOf<Type extends string, Data> = Common & { type: Type; data: Data }
