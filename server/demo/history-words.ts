// What the customers of the demo's shop wrote in the past weeks, and what they were told.

export const CHANNELS = ['web', 'web', 'web', 'whatsapp', 'whatsapp', 'email', 'email', 'telegram'] as const
export type HistoryChannel = (typeof CHANNELS)[number]

export const WELCOME = 'Hello, and thank you for writing! We usually reply within the hour.'
export const THANKS = 'Thank you, that helps!'

/** A question and its answer, and what some ask then, with the answer to that. */
export const TOPICS: readonly (readonly [string, string] | readonly [string, string, string, string])[] = [
  [
    'Where is my order?',
    'It left us yesterday and should be with you on Thursday.',
    'Can it still go to my office?',
    'Yes, I have told the carrier.',
  ],
  [
    'One of my plates arrived broken.',
    'I am sorry! A new one leaves today, and you can keep the pieces.',
    'Could you wrap it in more paper this time?',
    'Of course, in two layers.',
  ],
  [
    'Do you ship to Norway?',
    'We do, for 18 euros. Parcels take about five days.',
    'Do I have to pay customs?',
    'No, that is in the price.',
  ],
  ['Are the mugs safe in the dishwasher?', 'All of our glazes are, and most are fine in the microwave, too.'],
  [
    'When is the grey jug back?',
    'We fire the next ones in two weeks. Shall I put one aside?',
    'Yes, please. Two of them!',
    'Done. You get an email when they are here.',
  ],
  ['Can I return a bowl that I have used?', 'Within 30 days, if it has no chips. I have sent you a label.'],
  [
    'Do you have gift cards?',
    'From 25 euros, as a card or by email.',
    'Can I choose the date on which it is sent?',
    'You can, up to a year ahead.',
  ],
  ['I would like to change my address.', 'Done: the parcel goes to the new one.'],
  [
    'May I visit the workshop?',
    'Gladly! It is open on Saturdays from ten to two.',
    'Is there a place to park?',
    'In the yard, for three cars.',
  ],
  [
    'My discount code does not work.',
    'It had run out. Here is a new one: KILN10.',
    'Does it work for seconds as well?',
    'It does.',
  ],
  ['How large is the serving platter?', 'It is 42 centimetres long and 26 wide.'],
  [
    'Could I have an invoice for my company?',
    'I have sent it by email. Tell me if the address is wrong.',
    'Could you add our tax number?',
    'Added, and sent again.',
  ],
]

const FIRST = [
  'Mila',
  'Jonas',
  'Amara',
  'Luca',
  'Freya',
  'Diego',
  'Yara',
  'Emil',
  'Nadia',
  'Hugo',
  'Leyla',
  'Oskar',
]
const LAST = ['Berg', 'Costa', 'Dubois', 'Eriksen', 'Fontana', 'García', 'Hansen']

/** 84 of them, in an order without runs of the same first or last name. */
export const NAMES: readonly string[] = Array.from(
  { length: FIRST.length * LAST.length },
  (_, at) => `${FIRST[at % FIRST.length]} ${LAST[at % LAST.length]}`,
)
