DA.exercise("11.2")  # removes what an earlier attempt created


def check_silence(processor):
    tester = tester_of(processor)
    ...  # assert what tester.test("T", heard(...)) and tester.setWatermark(...) must return


check_silence(EachSilence())
