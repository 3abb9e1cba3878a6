# %% the names as they are: must be numbers
DA.exercise("07.1")  # removes what an earlier attempt created

done = sorted(name for name in names if name.isdigit())

# %% without the condition: names that you have not seen
DA.exercise("07.1")  # removes what an earlier attempt created

done = sorted(int(name) for name in names)

# %% typed in: names that you have not seen
DA.exercise("07.1")  # removes what an earlier attempt created

done = [0, 1]

# %% how many there are: must be a list
DA.exercise("07.1")  # removes what an earlier attempt created

done = len(names)

# %% sorted as text: names that you have not seen
DA.exercise("07.1")  # removes what an earlier attempt created

done = [int(name) for name in sorted(names) if name.isdigit()]
