// What people write to a bicycle shop, as sentences with blanks; the data set's texts are made from them. None contains
// a planted word, so the frequency of those is known.

const BLANKS: Record<string, string[]> = {
  product:
    'city bike,gravel bike,e-bike,child seat,bicycle helmet,rear light,front light,chain lock,saddle bag,floor pump,bottle cage,rain jacket,pair of gloves,kickstand,mudguard set,cargo trailer,wheel set,brake pads,derailleur,handlebar tape,phone mount,bike computer,pedals,inner tube,repair kit,battery charger,roof rack,balance bike,folding bike,touring bike'.split(
      ',',
    ),
  fault:
    'makes a grinding noise,arrived with a scratch on the frame,stopped working after the first ride,is one size too small,is missing two screws,does not match the picture,was packed without the manual,comes loose after a few minutes,will not switch on in the cold,leaks at the valve,has a bent spoke,came in the wrong colour,does not fit my frame,squeaks when I brake,loses pressure overnight'.split(
      ',',
    ),
  city: 'Leeds,Hamburg,Lyon,Porto,Ghent,Utrecht,Graz,Bergen,Cork,Turin,Aarhus,Basel,Krakow,Malmo,Bristol,Toulouse,Valencia,Dresden,Antwerp,Brno'.split(
    ',',
  ),
  day: 'Monday,Tuesday,Wednesday,Thursday,Friday,Saturday,next week,tomorrow'.split(','),
  person: 'my daughter,my husband,my wife,a colleague,a friend,my neighbour,our courier,my son'.split(','),
  order: Array.from({ length: 60 }, (_, n) => String(41_000 + ((n * 7919) % 9000))),
  amount: Array.from({ length: 40 }, (_, n) => `${9 + ((n * 37) % 460)}.${n % 2 ? '90' : '50'}`),
  count: ['two', 'three', 'four', 'five', 'six', 'ten'],
}

export const CUSTOMER_SENTENCES = [
  'Hello, I ordered the {product} last week and it still has not arrived in {city}.',
  'The {product} that I bought from you {fault}.',
  'Could you tell me when order {order} will be delivered?',
  'Is the {product} available again before {day}?',
  'I paid {amount} euros for the {product}, but the shop in {city} charges less.',
  'My order number is {order} and I would like to change the address to {city}.',
  'Thanks for the quick answer, that solved it for {person}.',
  'Can I pick up the {product} at your workshop in {city} on {day}?',
  'Please cancel the {product} from order {order}, {person} already bought one.',
  'Does the {product} fit a frame with {count} mounting points?',
  'The tracking page says that the parcel has been in {city} since {day}.',
  'I would prefer to exchange the {product}, because it {fault}.',
  'How long does the battery of the {product} last when it is used every day?',
  'We need {count} of the {product} for our club, is there a discount?',
  'The invoice for order {order} shows {amount}, which is not what I agreed to.',
  'Good morning, {person} asked me to write to you about the {product}.',
  'Sorry to bother you again, but the {product} still {fault}.',
  'Which size of the {product} would you recommend for somebody who is 1.78 m tall?',
]

export const AGENT_SENTENCES = [
  'Thank you for your message, I am looking into order {order} right now.',
  'The {product} leaves our warehouse in {city} on {day}.',
  'I am sorry that the {product} {fault}, we will send you a new one.',
  'Could you send us a photo of the {product} and of the label on the box?',
  'Your parcel should reach {city} by {day} at the latest.',
  'I have changed the delivery address of order {order} as you asked.',
  'We have credited {amount} euros to the card that you paid with.',
  'The {product} can be collected by {person} with the number {order}.',
  'There are {count} of the {product} left, shall I put one aside until {day}?',
  'A mechanic in {city} can look at the {product} on {day}.',
  'Please try to charge the {product} for {count} hours and tell me whether that helps.',
  'You can send the {product} back to us free of charge with the label in this message.',
  'I have asked a colleague in {city} and will come back to you on {day}.',
  'It was a pleasure to help, enjoy the {product}!',
]

export const SUBJECT_SENTENCES = [
  'Question about the {product}',
  'Order {order}',
  'Delivery to {city}',
  'The {product} {fault}',
  'Invoice for order {order}',
  'Exchange of the {product}',
]

export const FIRST_NAMES =
  'Anna,Ben,Clara,David,Elena,Felix,Grace,Hugo,Ines,Jonas,Karin,Liam,Maria,Noah,Olivia,Paul,Rosa,Simon,Tessa,Victor,Amina,Bruno,Carla,Dario,Emma,Farid,Greta,Hanna,Ivan,Julia,Kofi,Lena,Marco,Nora,Oscar,Petra,Rafael,Sara,Tom,Yara'.split(
    ',',
  )
export const LAST_NAMES =
  'Adams,Bauer,Conti,Dubois,Evans,Fischer,Garcia,Hansen,Ibrahim,Jensen,Keller,Lopez,Martin,Novak,Olsen,Peeters,Rossi,Schmidt,Torres,Visser,Weber,Young,Almeida,Bergman,Costa,Dietrich,Eriksen,Ferrari,Gruber,Horvat,Janssen,Kowalski,Lambert,Moreau,Nilsson,Okafor,Pereira,Richter,Santos,Walker'.split(
    ',',
  )

const BLANK = /\{(\w+)\}/g

/** `count` phrases from the sentences; blanks are filled in turn so that few phrases are alike. */
export const makePhrases = (sentences: string[], count: number): string[] =>
  Array.from({ length: count }, (_, n) => {
    let rest = Math.floor(n / sentences.length) * 7919 + n
    return sentences[n % sentences.length]!.replace(BLANK, (_, name: string) => {
      const words = BLANKS[name]!
      const word = words[rest % words.length]!
      rest = Math.floor(rest / words.length) + n
      return word
    })
  })
