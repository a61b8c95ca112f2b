import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { listOf, objectOf, readJson } from '../protocol/read-json.ts'
import {
  buildComponents,
  countParameters,
  describeTemplate,
  isSendable,
  listedTemplate,
  readTemplate,
  renderBody,
  type TemplateDefinition,
  validateParameters,
} from './templates.ts'

const page = readJson(readFileSync(join(import.meta.dirname, 'testdata/templates.json'), 'utf8'))
const definitions = listOf(objectOf('value' in page && page.value).data).map((raw) => readTemplate(raw)!)
const named = (name: string): TemplateDefinition =>
  definitions.find((definition) => definition.name === name)!

const define = (...components: object[]): TemplateDefinition =>
  readTemplate({ name: 'made', language: 'en', status: 'APPROVED', category: 'UTILITY', components })!

const fieldsOf = (definition: TemplateDefinition, parameters: string[], headerImageUrl?: string) =>
  validateParameters(definition, { parameters, headerImageUrl }).map(({ field }) => field)

const IMAGE = 'https://northwind.example/a.jpg'

test('a template is listed with its text, its variables counted once', () => {
  assert.deepEqual(listedTemplate(named('parcel_on_its_way')), {
    name: 'parcel_on_its_way',
    language: 'en_US',
    category: 'UTILITY',
    headerText: null,
    bodyText: 'Hello {{1}}, parcel {{2}} leaves today.\nThank you, {{1}}!',
    // Two in the body, one at the end of a button's address.
    variableCount: 3,
    headerFormat: 'IMAGE',
    isSendable: true,
  })
  assert.equal(listedTemplate(named('hello_world')).headerText, 'Hello World')
  assert.equal(listedTemplate(named('hello_world')).variableCount, 0)
})

test('named variables are listed by number, in the order of appearance', () => {
  const { bodyText, variableCount } = listedTemplate(named('appointment'))
  assert.equal(bodyText, 'Dear {{1}}, your table for {{2}} is at {{3}}. Bye, {{1}}.')
  assert.equal(variableCount, 4)
})

test('the number of variables is the number of parameters of a send, in every part', () => {
  for (const definition of definitions) {
    const { variableCount } = listedTemplate(definition)
    const parameters = Array.from({ length: variableCount }, () => 'x')
    assert.ok(!fieldsOf(definition, parameters, IMAGE).includes('parameters'), definition.name)
    assert.ok(fieldsOf(definition, [...parameters, 'x'], IMAGE).includes('parameters'), definition.name)
  }
})

test('a template is described in full, with a sample for each parameter', () => {
  const { name, language, category, ...described } = describeTemplate(named('parcel_on_its_way'))
  assert.deepEqual(described, {
    status: 'APPROVED',
    qualityScore: 'GREEN',
    rejectedReason: null,
    isSendable: true,
    headerFormat: 'IMAGE',
    headerText: null,
    bodyText: 'Hello {{1}}, parcel {{2}} leaves today.\nThank you, {{1}}!',
    footerText: 'Northwind Supplies',
    buttons: [
      { type: 'static', text: 'Stop', url: null },
      { type: 'url', text: 'Track', url: 'https://northwind.example/t/{{1}}' },
      { type: 'static', text: 'Call', url: null },
    ],
    parameterNames: null,
    countParameters: 3,
    exampleValues: ['Ines', 'NW-4711', 'NW-4711'],
  })
  const appointment = describeTemplate(named('appointment'))
  assert.deepEqual(appointment.parameterNames, ['guest_name', 'seats', 'time', 'day'])
  assert.deepEqual(appointment.exampleValues, ['Ines', '', '', 'Monday'])
  assert.deepEqual([appointment.status, appointment.isSendable], ['PENDING', false])
  // Approved, but its parts cannot be filled from here.
  assert.deepEqual([describeTemplate(named('spring_sale')).isSendable], [false])
  assert.equal(describeTemplate(named('spring_sale')).headerFormat, 'VIDEO')
})

test('an id beyond 2^53 is exact, and an unknown state is kept', () => {
  assert.equal(named('hello_world').id, '1689556908129835001')
  assert.equal(named('parcel_on_its_way').qualityScore, 'GREEN')
  assert.ok(isSendable(named('hello_world')))
  assert.ok(!isSendable(named('appointment')))
  const odd = readTemplate({ name: 'a', language: 'en', status: 'IN_ORBIT', category: 'TRANSACTIONAL' })!
  assert.deepEqual([odd.status, odd.category, isSendable(odd)], ['IN_ORBIT', 'UTILITY', false])
})

test('a definition survives being stored as JSON', () => {
  for (const definition of definitions) assert.deepEqual(JSON.parse(JSON.stringify(definition)), definition)
})

test('no definition makes the reader throw', () => {
  for (const raw of [null, 1, 'x', [], {}, { name: 'a' }, { name: 1, language: [] }])
    assert.equal(readTemplate(raw), undefined)
  for (const components of [
    null,
    'x',
    [null, 1, []],
    [{ type: 7 }],
    [{ type: 'BUTTONS', buttons: [null, 3] }],
  ])
    assert.ok(readTemplate({ name: 'a', language: 'en', components }))
})

const HEADERS = {
  none: { part: [], values: [], image: undefined, component: [] },
  'fixed text': {
    part: [{ type: 'HEADER', format: 'TEXT', text: 'News' }],
    values: [],
    image: undefined,
    component: [],
  },
  'text with a variable': {
    part: [{ type: 'HEADER', format: 'TEXT', text: 'News for {{1}}' }],
    values: ['Header value'],
    image: undefined,
    component: [{ type: 'header', parameters: [{ type: 'text', text: 'Header value' }] }],
  },
  image: {
    part: [{ type: 'HEADER', format: 'IMAGE' }],
    values: [],
    image: IMAGE,
    component: [{ type: 'header', parameters: [{ type: 'image', image: { link: IMAGE } }] }],
  },
}

const BODIES = {
  'without variables': { text: 'Hello.', values: [] },
  'with one variable': { text: 'Hello {{1}}.', values: ['Ines'] },
  'with three variables': { text: '{{2}}, {{1}} and {{3}} and {{1}}', values: ['one', 'two', 'three'] },
}

const FIXED_BUTTONS = [
  { type: 'QUICK_REPLY', text: 'Stop' },
  { type: 'URL', text: 'Shop', url: 'https://northwind.example' },
  { type: 'PHONE_NUMBER', text: 'Call', phone_number: '15550051310' },
]

const BUTTONS = {
  none: { buttons: [], values: [], components: [] },
  fixed: { buttons: FIXED_BUTTONS, values: [], components: [] },
  'with a changing address': {
    buttons: [FIXED_BUTTONS[0], { type: 'URL', text: 'Track', url: 'https://northwind.example/{{1}}' }],
    values: ['t/4711'],
    components: [
      { type: 'button', sub_type: 'url', index: '1', parameters: [{ type: 'text', text: 't/4711' }] },
    ],
  },
  'with a code to copy and a changing address': {
    buttons: [
      { type: 'COPY_CODE', text: 'Copy', example: ['SAVE10'] },
      { type: 'URL', text: 'Track', url: 'https://northwind.example/{{1}}' },
    ],
    values: ['SAVE20', 't/4711'],
    components: [
      {
        type: 'button',
        sub_type: 'copy_code',
        index: '0',
        parameters: [{ type: 'coupon_code', coupon_code: 'SAVE20' }],
      },
      { type: 'button', sub_type: 'url', index: '1', parameters: [{ type: 'text', text: 't/4711' }] },
    ],
  },
}

for (const [headerName, header] of Object.entries(HEADERS))
  for (const [bodyName, body] of Object.entries(BODIES))
    for (const [buttonName, row] of Object.entries(BUTTONS))
      test(`header: ${headerName}, body ${bodyName}, buttons: ${buttonName}`, () => {
        const definition = define(
          ...header.part,
          { type: 'BODY', text: body.text },
          { type: 'BUTTONS', buttons: row.buttons },
        )
        const parameters = [...body.values, ...header.values, ...row.values]
        const values = { parameters, headerImageUrl: header.image }
        assert.equal(countParameters(definition), parameters.length)
        assert.deepEqual(validateParameters(definition, values), [])
        const expectedBody = body.values.map((text) => ({ type: 'text', text }))
        assert.deepEqual(buildComponents(definition, values), [
          ...header.component,
          ...(expectedBody.length > 0 ? [{ type: 'body', parameters: expectedBody }] : []),
          ...row.components,
        ])
        assert.deepEqual(fieldsOf(definition, [...parameters, 'too many'], header.image), ['parameters'])
        if (parameters.length > 0)
          assert.deepEqual(fieldsOf(definition, parameters.slice(1), header.image), ['parameters'])
        assert.deepEqual(fieldsOf(definition, parameters, header.image ? undefined : IMAGE), [
          'headerImageUrl',
        ])
      })

test('named parameters are sent with their names', () => {
  const parameters = ['Ines', '4', '8 pm', 'Monday']
  assert.deepEqual(buildComponents(named('appointment'), { parameters }), [
    { type: 'header', parameters: [{ type: 'text', parameter_name: 'day', text: 'Monday' }] },
    {
      type: 'body',
      parameters: [
        { type: 'text', parameter_name: 'guest_name', text: 'Ines' },
        { type: 'text', parameter_name: 'seats', text: '4' },
        { type: 'text', parameter_name: 'time', text: '8 pm' },
      ],
    },
  ])
})

test('a one-time code fills the body and the button from one parameter', () => {
  const asListed = named('sign_in_code')
  const withAddress = readTemplate({
    name: 'a',
    language: 'en',
    category: 'AUTHENTICATION',
    components: [
      { type: 'BODY', text: '*{{1}}* is your code.' },
      {
        type: 'BUTTONS',
        buttons: [{ type: 'URL', text: 'Copy', url: 'https://whatsapp.example/otp?code=otp{{1}}' }],
      },
    ],
  })!
  for (const definition of [asListed, withAddress]) {
    assert.deepEqual(validateParameters(definition, { parameters: ['123456'] }), [])
    assert.deepEqual(buildComponents(definition, { parameters: ['123456'] }), [
      { type: 'body', parameters: [{ type: 'text', text: '123456' }] },
      { type: 'button', sub_type: 'url', index: '0', parameters: [{ type: 'text', text: '123456' }] },
    ])
    assert.deepEqual(fieldsOf(definition, ['1', '2']), ['parameters'])
  }
  assert.equal(
    renderBody(asListed, ['123456']),
    '*123456* is your verification code. For your security, do not share this code.',
  )
})

test('a parameter that the provider would refuse is reported', () => {
  const definition = define({ type: 'BODY', text: '{{1}} {{2}}' })
  const messageOf = (text: string) =>
    validateParameters(definition, { parameters: ['fine', text] }).map(
      ({ field, message }) => `${field} ${message}`,
    )
  assert.deepEqual(messageOf('four    spaces'), [])
  assert.deepEqual(messageOf(''), ['parameters[1] must not be empty'])
  assert.deepEqual(messageOf('   '), ['parameters[1] must not be empty'])
  assert.deepEqual(messageOf('two\nlines'), ['parameters[1] must not contain a line break'])
  assert.deepEqual(messageOf('two\r\nlines'), ['parameters[1] must not contain a line break'])
  assert.deepEqual(messageOf('a\ttab'), ['parameters[1] must not contain a tab'])
  assert.deepEqual(messageOf('five     spaces'), [
    'parameters[1] must not contain more than four spaces in a row',
  ])
  assert.equal(messageOf('x'.repeat(1025))[0], 'parameters[1] must have at most 1024 characters')
  assert.deepEqual(messageOf('a\n\tb').length, 2)
})

test('the text with its parameters stays within 1024 characters, the header within 60', () => {
  const body = define({ type: 'BODY', text: `${'x'.repeat(1000)}{{1}}` })
  assert.deepEqual(fieldsOf(body, ['y'.repeat(24)]), [])
  assert.deepEqual(fieldsOf(body, ['y'.repeat(25)]), ['parameters'])
  const header = define(
    { type: 'HEADER', format: 'TEXT', text: `${'x'.repeat(50)}{{1}}` },
    { type: 'BODY', text: '{{1}}' },
  )
  assert.deepEqual(fieldsOf(header, ['fine', 'y'.repeat(10)]), [])
  assert.deepEqual(fieldsOf(header, ['fine', 'y'.repeat(11)]), ['parameters[1]'])
})

test('a wrong number of parameters says how many the template takes', () => {
  const [problem] = validateParameters(named('parcel_on_its_way'), {
    parameters: ['Ines'],
    headerImageUrl: IMAGE,
  })
  assert.deepEqual(problem, {
    field: 'parameters',
    message: 'must be exactly 3: 2 for the body, then one for the button “Track”; 1 given',
  })
})

const LOCATION = { latitude: 52.52, longitude: 13.405, name: 'Shop', address: 'Torstr. 1' }
const MEDIA_URL = 'https://northwind.example/a'
for (const [format, given, parameter] of [
  ['VIDEO', { headerMediaUrl: MEDIA_URL }, { type: 'video', video: { link: MEDIA_URL } }],
  ['DOCUMENT', { headerMediaUrl: MEDIA_URL }, { type: 'document', document: { link: MEDIA_URL } }],
  [
    'DOCUMENT',
    { headerMediaUrl: MEDIA_URL, headerFileName: 'Invoice.pdf' },
    { type: 'document', document: { link: MEDIA_URL, filename: 'Invoice.pdf' } },
  ],
  [
    'LOCATION',
    { headerLocation: { latitude: 52.52, longitude: 13.405 } },
    { type: 'location', location: { latitude: '52.52', longitude: '13.405' } },
  ],
  [
    'LOCATION',
    { headerLocation: LOCATION },
    {
      type: 'location',
      location: { latitude: '52.52', longitude: '13.405', name: 'Shop', address: 'Torstr. 1' },
    },
  ],
] as const)
  test(`a template with a ${format.toLowerCase()} header is sent with ${Object.keys(given).join(' and ')}, and with no other`, () => {
    const definition = define({ type: 'HEADER', format }, { type: 'BODY', text: 'Hello.' })
    const { isSendable, headerFormat } = listedTemplate(definition)
    assert.deepEqual([isSendable, headerFormat], [true, format])
    const problemsOf = (values: object) =>
      validateParameters(definition, { parameters: [], ...values }).map(({ field }) => field)
    assert.deepEqual(problemsOf(given), [])
    assert.deepEqual(buildComponents(definition, { parameters: [], ...given }), [
      { type: 'header', parameters: [parameter] },
    ])
    const required = format === 'LOCATION' ? 'headerLocation' : 'headerMediaUrl'
    assert.deepEqual(problemsOf({}), [required])
    assert.deepEqual(problemsOf({ headerImageUrl: IMAGE, ...given }), ['headerImageUrl'])
    const another = format === 'LOCATION' ? { headerMediaUrl: MEDIA_URL } : { headerLocation: LOCATION }
    assert.deepEqual(problemsOf({ ...given, ...another }), Object.keys(another))
    if (format !== 'LOCATION')
      assert.deepEqual(problemsOf({ ...given, headerMediaUrl: 'northwind.example/a' }), ['headerMediaUrl'])
    if (format === 'VIDEO')
      assert.deepEqual(problemsOf({ ...given, headerFileName: 'Film.mp4' }), ['headerFileName'])
  })

test('all lengths are counted in code points, including a button’s URL', () => {
  const url = 'https://northwind.example/{{1}}'
  const button = define(
    { type: 'BODY', text: 'Hello.' },
    { type: 'BUTTONS', buttons: [{ type: 'URL', text: 'Track', url }] },
  )
  // Some thousand code points with the address, and more than two thousand UTF-16 units.
  assert.deepEqual(fieldsOf(button, ['😀'.repeat(1_024)]), [])
  assert.deepEqual(fieldsOf(button, ['😀'.repeat(1_025)]), ['parameters[0]'])
})

test('a template with an unsupported part is listed as not sendable', () => {
  const body = { type: 'BODY', text: 'Hello.' }
  for (const parts of [
    [{ type: 'HEADER', format: 'GIF' }, body],
    [{ type: 'HEADER', format: 'PRODUCT' }, body],
    [body, { type: 'CAROUSEL', cards: [] }],
  ]) {
    const definition = define(...parts)
    assert.equal(listedTemplate(definition).isSendable, false)
    assert.deepEqual(fieldsOf(definition, []), ['templateName'])
  }
})

test('an image header takes an absolute http URL or the definition’s default', () => {
  const definition = define({ type: 'HEADER', format: 'IMAGE' }, { type: 'BODY', text: 'Hello.' })
  assert.deepEqual(fieldsOf(definition, []), ['headerImageUrl'])
  for (const url of [
    '',
    '/a.jpg',
    'ftp://a.example/a',
    'javascript:alert(1)',
    'http:a.jpg',
    'data:image/png;base64,',
  ])
    assert.deepEqual(fieldsOf(definition, [], url), ['headerImageUrl'], url)
  const defaulted: TemplateDefinition = { ...definition, header: { format: 'image', defaultUrl: IMAGE } }
  assert.deepEqual(fieldsOf(defaulted, []), [])
  assert.deepEqual(buildComponents(defaulted, { parameters: [] }), [
    { type: 'header', parameters: [{ type: 'image', image: { link: IMAGE } }] },
  ])
})

test('a template that can’t be sent says which part is the reason', () => {
  assert.deepEqual(
    validateParameters(named('spring_sale'), { parameters: [] }).map(
      ({ field, message }) => `${field}: ${message}`,
    ),
    [
      'templateName: The template has a button of type mpm, which cannot be sent from here.',
      'templateName: The template has a component of type carousel, which cannot be sent from here.',
      'headerMediaUrl: is required: the template’s header is a video',
    ],
  )
})

test('the rendered body has every value, and a value that looks like a variable is kept', () => {
  assert.equal(
    renderBody(named('parcel_on_its_way'), ['{{2}}', '$& NW']),
    'Hello {{2}}, parcel $& NW leaves today.\nThank you, {{2}}!',
  )
  assert.equal(
    renderBody(named('appointment'), ['Ines', '4', '8 pm']),
    'Dear Ines, your table for 4 is at 8 pm. Bye, Ines.',
  )
  assert.equal(renderBody(named('hello_world'), []), 'Welcome to Northwind.')
})

test('a dozen variables are in numerical order', () => {
  const text = Array.from({ length: 12 }, (_, index) => `{{${12 - index}}}`).join(' ')
  const definition = define({ type: 'BODY', text })
  const parameters = Array.from({ length: 12 }, (_, index) => `v${index + 1}`)
  assert.equal(renderBody(definition, parameters), [...parameters].reverse().join(' '))
})
