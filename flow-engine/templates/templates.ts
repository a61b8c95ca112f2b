// The ready flows, in the order in which a team usually needs them. About 70 KB, so the console loads this when the
// gallery opens.
import { AD_LEAD } from './ad-lead.ts'
import { AI_FIRST } from './ai-first.ts'
import { BROADCAST_ANSWERS } from './broadcast-answers.ts'
import { CALL_BACK } from './call-back.ts'
import { COLLECT_DETAILS } from './collect-details.ts'
import { ORDER_STATUS } from './order-status.ts'
import { OUT_OF_HOURS } from './out-of-hours.ts'
import { ROUTING } from './routing.ts'
import { SATISFACTION } from './satisfaction.ts'
import { SILENT_CUSTOMER } from './silent-customer.ts'
import { SILENT_TEAM } from './silent-team.ts'
import type { FlowTemplate } from './template.ts'
import { WELCOME_MENU } from './welcome-menu.ts'

export const TEMPLATES: readonly FlowTemplate[] = [
  WELCOME_MENU,
  OUT_OF_HOURS,
  COLLECT_DETAILS,
  ORDER_STATUS,
  CALL_BACK,
  SATISFACTION,
  SILENT_CUSTOMER,
  SILENT_TEAM,
  ROUTING,
  AD_LEAD,
  BROADCAST_ANSWERS,
  AI_FIRST,
]
