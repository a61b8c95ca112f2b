import Type, { type Static } from 'typebox'
import {
  ACTION_CONFIRMS,
  ACTION_METHODS,
  ACTION_NEEDS,
  ACTION_RISKS,
  CONTACT_VALUES,
  MCP_TOOL_STATES,
  PARAMETER_TYPES,
} from '../../platform/db/tables.ts'
import { CUSTOM_FIELD_KEY_MAX } from '../contacts/schema.ts'
import { Id, Name, nullable, Text } from '../schema.ts'

export const ACTION_NAME_MAX = 60
export const ACTIONS_MAX = 20
export const TOOLS_ON_MAX = 20
export const DESCRIPTION_MAX = 1_000
export const URL_MAX = 2_000
export const HEADERS_MAX = 20
export const HEADER_VALUE_MAX = 4_000
export const PARAMETERS_MAX = 20
export const PARAMETER_LENGTH_MAX = 500
export const OPTIONS_MAX = 50
export const KEPT_MAX = 20
export const PATH_MAX = 200
export const TIMEOUT_MIN_MS = 500
export const TIMEOUT_MAX_MS = 10_000

/** As flows name variables, because that is where values come from and go to. */
const VariableName = Type.String({ maxLength: 64, pattern: '^[a-zA-Z][a-zA-Z0-9_]{0,63}$' })

const FromContact = Type.Object(
  {
    is: Type.Enum([...CONTACT_VALUES]),
    field: Type.Optional(Text(CUSTOM_FIELD_KEY_MAX, { description: 'The custom field, with `field`.' })),
  },
  {
    description:
      'Filled in from the contact when the AI agent calls the action, and never left to its model. Flows fill in every parameter themselves.',
  },
)

const ParameterShape = Type.Object({
  name: VariableName,
  type: Type.Enum([...PARAMETER_TYPES]),
  isRequired: Type.Boolean(),
  maxLength: Type.Optional(Type.Integer({ minimum: 1, maximum: PARAMETER_LENGTH_MAX })),
  options: Type.Optional(Type.Array(Text(PARAMETER_LENGTH_MAX), { maxItems: OPTIONS_MAX })),
  fromContact: Type.Optional(FromContact),
})

const KeptShape = Type.Object({
  name: VariableName,
  path: Text(PATH_MAX, {
    description: 'Field names and positions in the JSON response, separated by dots.',
    examples: ['order.items.0.name'],
  }),
})

const Parameters = Type.Array(ParameterShape, { maxItems: PARAMETERS_MAX })
const Keep = Type.Array(KeptShape, { maxItems: KEPT_MAX })
const Method = Type.Enum([...ACTION_METHODS])

/** What the editor of flows needs to offer an action. */
export const ActionSummary = Type.Object(
  {
    id: Id,
    name: Type.String(),
    method: Method,
    host: Type.String({ description: 'With its port, unless it is the protocol’s own.' }),
    parameters: Parameters,
    keep: Keep,
    risk: Type.Enum([...ACTION_RISKS]),
    tool: nullable(
      Type.Object(
        { serverId: Id, state: Type.Enum([...MCP_TOOL_STATES]) },
        { description: 'Of the MCP server whose tool it is. Only one that is on is called.' },
      ),
    ),
  },
  { title: 'ActionSummary' },
)
export type ActionSummary = Static<typeof ActionSummary>

const parts = {
  method: Method,
  url: Type.String({
    minLength: 1,
    maxLength: URL_MAX,
    description: 'May have {{parameter}} in path segments and in values of the query.',
    examples: ['https://api.example.com/orders/{{number}}'],
  }),
  parameters: Parameters,
  keep: Keep,
  timeoutMs: Type.Integer({ minimum: TIMEOUT_MIN_MS, maximum: TIMEOUT_MAX_MS }),
  isRepeatable: Type.Boolean({ description: 'Calling it twice does no more than calling it once.' }),
  risk: Type.Enum([...ACTION_RISKS]),
  needs: Type.Enum([...ACTION_NEEDS], { description: 'Who the customer must be known to be.' }),
  confirm: Type.Enum([...ACTION_CONFIRMS], { description: 'Who must agree to each call.' }),
}

export const Action = Type.Object(
  {
    id: Id,
    name: Type.String(),
    ...parts,
    headerNames: Type.Array(Type.String(), {
      description: 'Their values are encrypted and never returned.',
    }),
  },
  { title: 'Action' },
)
export type Action = Static<typeof Action>

export const NewAction = Type.Object(
  {
    name: Name(ACTION_NAME_MAX, { description: 'Unique, case-insensitive.' }),
    ...parts,
    headers: Type.Array(
      Type.Object({
        name: Name(100),
        value: Type.Optional(
          Type.String({
            maxLength: HEADER_VALUE_MAX,
            description: 'Omit it to keep the stored value, unless the host changes.',
          }),
        ),
      }),
      { maxItems: HEADERS_MAX },
    ),
  },
  { title: 'NewAction' },
)
export type NewAction = Static<typeof NewAction>

export const ActionList = Type.Object(
  { actions: Type.Array(ActionSummary, { description: 'Ordered by name.' }) },
  { title: 'ActionList' },
)
export const ActionAnswer = Type.Object({ action: Action }, { title: 'ActionAnswer' })
export const ActionParams = Type.Object({ actionId: Id })
export const ActionRemoved = Type.Object({ success: Type.Literal(true) })

export const ActionTrial = Type.Object({
  parameters: Type.Record(
    Type.String({ maxLength: 64 }),
    Type.Union([Type.String({ maxLength: 1_000 }), Type.Number(), Type.Boolean()]),
    { maxProperties: PARAMETERS_MAX },
  ),
})

export const TriedAction = Type.Object(
  {
    outcome: Type.Enum(['done', 'notFound', 'refused', 'failed', 'unknown']),
    status: nullable(Type.Integer()),
    kept: Type.Unsafe<unknown>({ description: 'The kept fields by name; null if none were kept.' }),
    problem: nullable(
      Type.Object({ code: Type.String(), message: Type.String({ description: 'For people.' }) }),
    ),
    preview: Type.String({ description: 'The beginning of the response.' }),
    durationMs: Type.Integer(),
  },
  { title: 'TriedAction' },
)
export type TriedAction = Static<typeof TriedAction>

export const ToolApproval = Type.Object(
  {
    tool: Type.String({ minLength: 1, maxLength: 128 }),
    hash: Type.String({ minLength: 1, maxLength: 64, description: 'Of the tool as it was looked at.' }),
    name: Name(ACTION_NAME_MAX, { description: 'As the customer and the team read it; unique.' }),
    description: nullable(
      Type.String({ maxLength: DESCRIPTION_MAX, description: 'For the AI agent, instead of the server’s.' }),
    ),
    risk: parts.risk,
    needs: parts.needs,
    confirm: parts.confirm,
    fromContact: Type.Optional(
      Type.Record(VariableName, FromContact, {
        maxProperties: PARAMETERS_MAX,
        description: 'By the name of the parameter.',
      }),
    ),
  },
  { title: 'ToolApproval' },
)
export type ToolApproval = Static<typeof ToolApproval>

export const ToolNamed = Type.Object({ tool: Type.String({ minLength: 1, maxLength: 128 }) })
